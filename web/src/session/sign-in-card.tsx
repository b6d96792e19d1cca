import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import { useFocusBack } from '../app/use-focus-back.ts';
import { useMe } from './me.ts';
import { PasswordForm } from './password-form.tsx';

interface SignInCardProps {
  readonly title: string;
  readonly text: string;
  readonly submitLabel?: string | undefined;
  readonly closeLabel: string;
  /** The user who signs in again. */
  readonly userName: string | undefined;
  /** Address to which a sign-in at a provider returns. */
  readonly returnTo: string;
  readonly onSignedIn: () => void;
  /** Called before the page is left to sign in elsewhere. */
  readonly onLeave?: () => Promise<void>;
  readonly onClose: () => void;
}

/** Signs in on the page where the session has ended, so that typed text stays. */
export function SignInCard(props: SignInCardProps) {
  const { title, text, submitLabel, closeLabel, userName, returnTo, onSignedIn, onLeave, onClose } = props;
  const { t } = useTranslation();
  const me = useMe();
  const titleId = useId();
  useFocusBack();
  const leave = async (event: React.MouseEvent<HTMLAnchorElement>) => {
    const { href } = event.currentTarget;
    event.preventDefault();
    await onLeave?.();
    location.assign(href);
  };
  return (
    <section
      className="card sign-in-card in-place"
      role="dialog"
      aria-labelledby={titleId}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <h2 id={titleId}>{title}</h2>
      <p className="muted">{text}</p>
      {me?.signIn.password !== false && (
        <PasswordForm userName={userName} submitLabel={submitLabel} onSignedIn={onSignedIn} />
      )}
      {me?.signIn.oidc && (
        <>
          {me.signIn.password && <p className="or">{t('signInPage.or')}</p>}
          <a className="button" href={apiUrl('/login/oidc', { returnTo })} onClick={(event) => void leave(event)}>
            {t('signInPage.oidc')}
          </a>
        </>
      )}
      <button type="button" className="button ghost" onClick={onClose}>
        {closeLabel}
      </button>
    </section>
  );
}
