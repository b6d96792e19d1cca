import type { LucideIcon } from 'lucide-react';

interface IconProps {
  readonly of: LucideIcon;
  /** Name for screen readers; absent if words next to the icon have the same meaning. */
  readonly label?: string | undefined;
}

/** An icon of 16 px. Import the icon itself by its name from `lucide-react`. */
export function Icon({ of: Shape, label }: IconProps) {
  const naming = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return <Shape className="icon" size={16} strokeWidth={2} {...naming} />;
}
