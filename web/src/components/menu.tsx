import { loadOnUse } from './load-on-use.tsx';
import type { MenuProps } from './menu-props.ts';

/** A menu below a button: arrows, type-ahead and Escape work as everywhere. */
export const Menu = loadOnUse<MenuProps>(async () => (await import('./menu-popover.tsx')).MenuPopover);
