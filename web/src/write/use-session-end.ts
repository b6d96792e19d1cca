import { useEffect, useRef, useState } from 'react';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { useMe } from '../session/me.ts';

/** Returns the time at which the session ended while this page was open; undefined while there is a session. */
export function useSessionEnd(open: OpenDraft): number | undefined {
  const me = useMe();
  const userName = me === undefined ? undefined : me.userName;
  const wasSignedIn = useRef(false);
  const [endedMs, setEndedMs] = useState<number>();
  useEffect(() => {
    if (userName === undefined) return;
    open.setUser(userName);
    setEndedMs(userName === null && wasSignedIn.current ? Date.now() : undefined);
    if (userName !== null) wasSignedIn.current = true;
  }, [open, userName]);
  return endedMs;
}
