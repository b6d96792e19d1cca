import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { MenuItem as AriaItem, Menu as AriaMenu, MenuTrigger, Popover, Pressable } from 'react-aria-components';
import { Icon } from './icon.tsx';
import { Keys } from './keys.tsx';

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<{ role?: string }>;
  readonly label: string;
  readonly children: ReactNode;
}

/** A menu below a button: arrows, type-ahead and Escape work as everywhere. */
export function Menu({ trigger, label, children }: MenuProps) {
  return (
    <MenuTrigger>
      {/* biome-ignore lint/suspicious/noExplicitAny: React Aria asks for the DOM element's own type */}
      <Pressable>{trigger as any}</Pressable>
      <Popover className="popover" offset={4}>
        <AriaMenu className="menu" aria-label={label}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

interface MenuItemProps {
  readonly icon?: LucideIcon | undefined;
  readonly keys?: string | undefined;
  readonly onAction?: () => void;
  readonly href?: string;
  readonly target?: string;
  readonly label: string;
  readonly end?: ReactNode;
}

export function MenuItem({ icon, keys, label, end, ...action }: MenuItemProps) {
  return (
    <AriaItem className="menu-item" textValue={label} {...action}>
      {icon && <Icon of={icon} />}
      <span>{label}</span>
      {(keys !== undefined || end !== undefined) && (
        <span className="end">
          {keys && <Keys of={keys} />}
          {end}
        </span>
      )}
    </AriaItem>
  );
}
