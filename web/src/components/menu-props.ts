import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: LucideIcon | undefined;
  /** The keys that do the same. */
  readonly keys?: string | undefined;
  readonly end?: ReactNode;
  readonly onAction?: () => void;
  readonly href?: string;
  readonly target?: string;
}

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<React.ButtonHTMLAttributes<HTMLButtonElement>>;
  readonly label: string;
  readonly items: readonly MenuEntry[];
}
