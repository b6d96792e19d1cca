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
    if (error === undefined) return this.props.children;
    const retry = () => this.setState({ error: undefined });
    return (
      <Translation>
        {(t) => (
          <Void
            icon={CircleAlert}
            title={t('problem.brokenTitle')}
            text={
              <>
                {t('problem.brokenText')}
                <TypedWords />
              </>
            }
            actions={
              <button type="button" className="button" onClick={() => void tryAgain(error, retry)}>
                {t('problem.reload')}
              </button>
            }
          />
        )}
      </Translation>
    );
  }
}
