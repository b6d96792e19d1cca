import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const maxRetries = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Live notifications refresh the data; a return to the page does not.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: 'always',
      retry: (count, error) => count < maxRetries && error instanceof ApiError && error.isTransient,
      retryDelay: (count) => Math.min(500 * 2 ** count, 8_000),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
