import { loadOnUse } from './load-on-use.tsx';
import type { MenuProps } from './menu-props.ts';

/** A menu below a button, with arrow keys, type-ahead and Escape. */
export const Menu = loadOnUse<MenuProps>(async () => (await import('./menu-popover.tsx')).MenuPopover);
