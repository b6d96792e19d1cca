import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import { useMe } from '../session/me.ts';
import { PasswordForm } from '../session/sign-in-page.tsx';

interface SignInCardProps {
  /** Who wrote the draft. */
  readonly userName: string | undefined;
  readonly onSignedIn: () => void;
  /** Called before the page is left to sign in elsewhere. */
  readonly onLeave: () => Promise<void>;
  readonly onClose: () => void;
}

/** Signing in next to the text, which stays in reach. */
export function SignInCard({ userName, onSignedIn, onLeave, onClose }: SignInCardProps) {
  const { t } = useTranslation('write');
  const { t: common } = useTranslation();
  const me = useMe();
  const leave = async (event: React.MouseEvent<HTMLAnchorElement>) => {
    const { href } = event.currentTarget;
    event.preventDefault();
    await onLeave();
    location.assign(href);
  };
  return (
    <section
      className="card sign-in-card in-place"
      role="dialog"
      aria-labelledby="in-place-title"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <h2 id="in-place-title">{t('session.title')}</h2>
      <p className="muted">{t('session.text')}</p>
      {me?.signIn.password !== false && (
        <PasswordForm userName={userName} submitLabel={t('session.submit')} onSignedIn={onSignedIn} />
      )}
      {me?.signIn.oidc && (
        <>
          {me.signIn.password && (
            <p className="or">
              <span>{t('session.or')}</span>
            </p>
          )}
          <a className="button" href={apiUrl('/login/oidc', { returnTo: '/' })} onClick={(event) => void leave(event)}>
            {common('signInPage.oidc')}
          </a>
        </>
      )}
      <button type="button" className="button ghost" onClick={onClose}>
        {t('session.later')}
      </button>
    </section>
  );
}
