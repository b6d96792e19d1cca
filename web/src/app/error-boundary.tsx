import { CircleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Translation } from 'react-i18next';
import { Void } from '../components/problem.tsx';
import { TypedWords } from '../keys/typed-words.tsx';
import { tryAgain } from './load-fault.ts';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** A new value renders the children again. */
  readonly resetKey?: string;
  /** Closes the part. If set, a dialog above the page shows the fault. */
  readonly onClose?: () => void;
  /** Shown with that dialog, instead of the part. */
  readonly plain?: ReactNode;
  /** Whether the part shows the open entry. */
  readonly isOfEntry?: boolean;
}

/** Limits a fault to one part of the page. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('unknown') };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (before.resetKey !== this.props.resetKey && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { children, onClose, plain, isOfEntry = false } = this.props;
    if (error === undefined) return children;
    const retry = () => this.setState({ error: undefined });
    const fault = (
      <Translation>
        {(t) => (
          <Void
            icon={CircleAlert}
            title={t('problem.brokenTitle')}
            text={
              <>
                {t('problem.brokenText')}
                <TypedWords isOfEntry={isOfEntry} />
              </>
            }
            actions={
              <>
                <button type="button" className="button" onClick={() => void tryAgain(error, retry)}>
                  {t('problem.reload')}
                </button>
                {onClose && (
                  <button type="button" className="button ghost" onClick={onClose}>
                    {t('close')}
                  </button>
                )}
              </>
            }
          />
        )}
      </Translation>
    );
    if (!onClose) return fault;
    return (
      <>
        {plain}
        {/* Not a `Modal`, because the first page does not load that. */}
        <dialog ref={showModal} className="fault card" onCancel={onClose}>
          {fault}
        </dialog>
      </>
    );
  }
}

function showModal(dialog: HTMLDialogElement) {
  dialog.showModal();
  // Closing returns the focus.
  return () => dialog.close();
}
