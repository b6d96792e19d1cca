import { useNavigate } from '@tanstack/react-router';
import { Inbox, LogIn, LogOut, SlidersHorizontal } from 'lucide-react';
import type { ReactElement } from 'react';
import { MenuItem, MenuSection, MenuTrigger, Popover, Pressable } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { permittedSections } from '../administration/sections.ts';
import { Icon } from '../components/icon.tsx';
import { signOut, useMe } from '../session/me.ts';
import { SettingsItems } from './settings-items.tsx';

/** Shows the account and the settings, for which a phone has no room at the bottom. */
export function MoreMenu({ trigger }: { readonly trigger: ReactElement }) {
  const { t } = useTranslation();
  const me = useMe();
  const navigate = useNavigate();
  const name = me?.displayName ?? me?.userName;
  return (
    <MenuTrigger>
      <Pressable>{trigger as React.ComponentProps<typeof Pressable>['children']}</Pressable>
      <Popover className="popover" offset={4}>
        <SettingsItems label={t('more')}>
          <MenuSection aria-label={t('account', { name: name ?? '' })}>
            {name && (
              <MenuItem
                className="menu-item"
                textValue={t('inbox')}
                onAction={() => void navigate({ to: '/inbox' as '/', search: {} })}
              >
                <Icon of={Inbox} />
                <span>{t('inbox')}</span>
              </MenuItem>
            )}
            {name && (
              <MenuItem
                className="menu-item"
                textValue={t('sessionsAndTokens')}
                onAction={() => void navigate({ to: '/administration' })}
              >
                <Icon of={SlidersHorizontal} />
                <span>{t(permittedSections(me).length > 2 ? 'administration' : 'sessionsAndTokens')}</span>
              </MenuItem>
            )}
            {name ? (
              <MenuItem className="menu-item" textValue={t('signOut')} onAction={() => void signOut()}>
                <Icon of={LogOut} />
                <span>{t('signOut')}</span>
                <span className="end">{name}</span>
              </MenuItem>
            ) : (
              <MenuItem
                className="menu-item"
                textValue={t('signIn')}
                onAction={() => void navigate({ to: '/sign-in' })}
              >
                <Icon of={LogIn} />
                <span>{t('signIn')}</span>
              </MenuItem>
            )}
          </MenuSection>
        </SettingsItems>
      </Popover>
    </MenuTrigger>
  );
}
