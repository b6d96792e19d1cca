import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Pressable } from 'react-aria-components';
import { Icon } from './icon.tsx';
import { Keys } from './keys.tsx';
import type { MenuEntry, MenuProps } from './menu-props.ts';
import './menu.css';

/** The menu with all its behaviour. Use `Menu`, which loads it. */
export function MenuPopover({ trigger, label, items }: MenuProps) {
  return (
    <MenuTrigger>
      <Pressable>{trigger as React.ComponentProps<typeof Pressable>['children']}</Pressable>
      <Popover className="popover" offset={4}>
        <AriaMenu className="menu" aria-label={label}>
          {items.map((item) => (
            <Item key={item.label} {...item} />
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function Item({ icon, keys, label, end, ...action }: MenuEntry) {
  return (
    <MenuItem className="menu-item" textValue={label} {...action}>
      {icon && <Icon of={icon} />}
      <span>{label}</span>
      {(keys !== undefined || end !== undefined) && (
        <span className="end">
          {keys && <Keys of={keys} />}
          {end}
        </span>
      )}
    </MenuItem>
  );
}
