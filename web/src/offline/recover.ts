import { queryClient } from '../api/query-client.ts';
import { reconnectLive, watchLive } from '../live/live-connection.ts';
import { noteReachable, noteUnreachable, onRecovered } from './connection.ts';

/** Notices outages without a request, and afterwards reads again what failed or was stored, but nothing else. */
export function startRecovery(): void {
  watchLive((state) => {
    if (state === 'off') noteUnreachable();
    else if (state === 'live') noteReachable();
  });
  onRecovered((sinceMs) => {
    reconnectLive();
    void queryClient.invalidateQueries({
      predicate: ({ state }) => state.status === 'error' || state.dataUpdatedAt >= sinceMs,
    });
  });
}
