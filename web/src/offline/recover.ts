import { queryClient } from '../api/query-client.ts';
import { reconnectLive, watchLive } from '../live/live-connection.ts';
import { noteReachable, noteUnreachable, onRecovered } from './connection.ts';

/** Detects outages even without requests. Afterwards, reads again only what failed or was read during the outage. */
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
