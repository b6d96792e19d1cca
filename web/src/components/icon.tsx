import type { LucideIcon } from 'lucide-react';

interface IconProps {
  readonly of: LucideIcon;
  /** What it says to a screen reader; absent where the words beside it say it. */
  readonly label?: string | undefined;
}

/** An icon of 16 px. Import the icon itself by its name from `lucide-react`. */
export function Icon({ of: Shape, label }: IconProps) {
  const naming = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return <Shape className="icon" size={16} strokeWidth={2} {...naming} />;
}
