import { CircleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Translation } from 'react-i18next';
import { Void } from '../components/problem.tsx';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** When it changes, the children are tried again. */
  readonly resetKey?: string;
}

/** Keeps a fault of one part of the page from taking the others with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('unknown') };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (before.resetKey !== this.props.resetKey && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Translation>
        {(t) => (
          <Void
            icon={CircleAlert}
            title={t('problem.brokenTitle')}
            text={t('problem.brokenText')}
            actions={
              <button type="button" className="button" onClick={() => this.setState({ error: undefined })}>
                {t('problem.reload')}
              </button>
            }
          />
        )}
      </Translation>
    );
  }
}
