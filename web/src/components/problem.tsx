import { BookX, CircleAlert, CloudOff, Copy, Lock, RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { useMe } from '../session/me.ts';
import { copyText } from './copy-text.ts';
import { Icon } from './icon.tsx';

interface ProblemProps {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
  /** Id of the entry that is missing if the response is 404. */
  readonly entryId?: string | undefined;
}

/** States the problem in one sentence, with one button for what the user can do. */
export function Problem({ error, retry, entryId }: ProblemProps) {
  const { t } = useTranslation();
  const me = useMe();
  const fault = error instanceof ApiError ? error : undefined;
  const requestId = fault?.requestId ?? '–';
  const name = me?.displayName ?? me?.userName ?? t('notSignedIn');
  const kind = kindOf(fault, entryId);
  const text = kind === 'refused' ? fault?.message : t(`problem.${kind}Text`, { requestId, name, id: entryId });
  return (
    <Void
      icon={icons[kind]}
      title={t(`problem.${kind}Title`)}
      text={text}
      actions={
        <>
          {kind === 'signIn' && (
            <a className="button primary" href="/sign-in">
              {t('signIn')}
            </a>
          )}
          {retry && kind !== 'forbidden' && kind !== 'missingEntry' && (
            <button type="button" className="button" onClick={retry}>
              {t(kind === 'broken' ? 'problem.reload' : 'tryAgain')}
            </button>
          )}
          {fault && (kind === 'storage' || kind === 'fault') && <CopyDetails fault={fault} />}
        </>
      }
    />
  );
}

const icons = {
  offline: CloudOff,
  signIn: Lock,
  forbidden: Lock,
  missingEntry: BookX,
  refused: CircleAlert,
  storage: RefreshCw,
  fault: RefreshCw,
  broken: CircleAlert,
} as const;

function kindOf(fault: ApiError | undefined, entryId: string | undefined): keyof typeof icons {
  // A fault of the page itself: no request has failed.
  if (!fault) return 'broken';
  if (fault.isOffline) return 'offline';
  if (fault.status === 401) return 'signIn';
  if (fault.status === 403) return 'forbidden';
  if (fault.status === 404 && entryId !== undefined) return 'missingEntry';
  if (fault.status < 500) return 'refused';
  return fault.status === 503 || fault.status === 507 ? 'storage' : 'fault';
}

function CopyDetails({ fault }: { readonly fault: ApiError }) {
  const { t } = useTranslation();
  const details = `${fault.status} ${fault.code} ${fault.requestId ?? ''}: ${fault.message}`;
  return (
    <button type="button" className="button ghost" onClick={() => void copyText(details)}>
      <Icon of={Copy} />
      {t('copyDetails')}
    </button>
  );
}

interface VoidProps {
  readonly icon: typeof Lock;
  readonly title: string;
  readonly text?: React.ReactNode;
  readonly actions?: React.ReactNode;
  /** Whether the page shows nothing else, so that the title is its heading. */
  readonly isPage?: boolean;
}

/** Fills an empty place: says why it is empty, and what to do. */
export function Void({ icon, title, text, actions, isPage = false }: VoidProps) {
  const Title = isPage ? 'h1' : 'strong';
  return (
    <div className="void" role="status">
      <Icon of={icon} />
      <Title>{title}</Title>
      {text !== undefined && <p>{text}</p>}
      {actions && <div className="row">{actions}</div>}
    </div>
  );
}
