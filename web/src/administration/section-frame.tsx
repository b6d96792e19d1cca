import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';

interface SectionFrameProps {
  readonly title: string;
  readonly summary?: string | undefined;
  /** The label of the button that opens the form for a new item. */
  readonly newLabel?: string | undefined;
  readonly hint?: ReactNode;
  /** Error that is shown in place of the content. */
  readonly error?: unknown;
  readonly retry?: () => void;
  readonly children: ReactNode;
  /** The form next to the list. */
  readonly aside?: ReactNode;
}

/** A list with its title, and the form of one item next to it. */
export function SectionFrame({ title, summary, newLabel, hint, error, retry, children, aside }: SectionFrameProps) {
  return (
    <>
      <main className="section">
        <header className="section-head">
          <h1>{title}</h1>
          {summary !== undefined && <span className="muted number">{summary}</span>}
          <span className="grow" />
          {newLabel !== undefined && (
            <Link className="button primary" to="." search={{ new: 'yes' }}>
              <Icon of={Plus} />
              {newLabel}
            </Link>
          )}
        </header>
        {error ? <Problem error={error} retry={retry} /> : children}
        {hint !== undefined && <p className="hint">{hint}</p>}
      </main>
      {aside}
    </>
  );
}
