import { useLocation } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { lazy, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/query-client.ts';
import { Icon } from '../components/icon.tsx';
import { LatePart } from '../components/late-part.tsx';
import { holdKeys } from '../keys/held-keys.ts';
import { meQuery, useMe } from './me.ts';
import { useLastUser } from './session-end.ts';

const SignInCard = lazy(async () => ({ default: (await import('./sign-in-card.tsx')).SignInCard }));

/** The longest time that a timer of a browser can wait. */
const maxTimerMs = 2_147_483_647;

/** States above the page that the session has ended, and signs in again in place: the page stays as it is. */
export function SessionNote() {
  const { t } = useTranslation();
  const { pathname, href } = useLocation();
  const me = useMe();
  useExpiry(me?.session?.expiresDate);
  const lastUser = useLastUser();
  const [isSigningIn, setSigningIn] = useState(false);
  const signIn = () => {
    holdKeys('');
    setSigningIn(true);
  };
  if (me?.userName !== null || lastUser === undefined || pathname === '/sign-in') return null;
  return (
    <>
      <div className="note" role="status">
        <Icon of={Lock} />
        <span className="grow">
          <b>{t('sessionEnd.title')}</b> {t('sessionEnd.text', { name: lastUser.name })}
        </span>
        <button type="button" className="button small primary" onClick={signIn}>
          {t('signIn')}
        </button>
      </div>
      {isSigningIn && (
        <LatePart onClose={() => setSigningIn(false)}>
          <SignInCard
            title={t('sessionEnd.signIn')}
            text={t('sessionEnd.stays')}
            closeLabel={t('sessionEnd.later')}
            userName={lastUser.me?.userName ?? undefined}
            returnTo={href}
            onSignedIn={() => setSigningIn(false)}
            onClose={() => setSigningIn(false)}
          />
        </LatePart>
      )}
    </>
  );
}

/** Checks again when the session should end. It lasts longer if it was used in the meantime. */
function useExpiry(expiresMs: number | undefined): void {
  useEffect(() => {
    if (expiresMs === undefined) return undefined;
    const leftMs = Math.max(1_000, expiresMs - Date.now() + 1_000);
    const refresh = () => void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    const timer = setTimeout(refresh, Math.min(leftMs, maxTimerMs));
    return () => clearTimeout(timer);
  }, [expiresMs]);
}
