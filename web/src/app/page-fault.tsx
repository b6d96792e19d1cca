import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Problem } from '../components/problem.tsx';
import { dropKeys } from '../keys/held-keys.ts';
import { tryAgain } from './load-fault.ts';

/** Replaces a page that failed. */
export function PageFault({ error }: { readonly error: unknown }) {
  const router = useRouter();
  // The held keys were meant for a field of the page that has failed.
  useEffect(dropKeys, []);
  const retry = () => void router.invalidate();
  return (
    <main>
      <Problem error={error} retry={() => void tryAgain(error, retry)} />
    </main>
  );
}
