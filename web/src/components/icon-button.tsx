import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Hint } from './hint.tsx';
import { Icon } from './icon.tsx';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  readonly icon: LucideIcon;
  readonly label: string;
  /** The keys that do the same, such as `Shift Y`. */
  readonly keys?: string | undefined;
  readonly small?: boolean;
}

/** A button that shows only an icon: its name and its key appear in a hint. */
export function IconButton({ icon, label, keys, small = false, className = 'ghost', ...rest }: IconButtonProps) {
  return (
    <Hint text={label} keys={keys}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={`button icon-only ${small ? 'small' : ''} ${className}`}
      >
        <Icon of={icon} />
      </button>
    </Hint>
  );
}
