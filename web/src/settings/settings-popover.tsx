import type { ReactElement } from 'react';
import { MenuTrigger, Popover, Pressable } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { SettingsItems } from './settings-items.tsx';

interface SettingsPopoverProps {
  readonly trigger: ReactElement;
}

export function SettingsPopover({ trigger }: SettingsPopoverProps) {
  const { t } = useTranslation();
  return (
    <MenuTrigger>
      <Pressable>{trigger as React.ComponentProps<typeof Pressable>['children']}</Pressable>
      <Popover className="popover" offset={4}>
        <SettingsItems label={t('settings')} />
      </Popover>
    </MenuTrigger>
  );
}
