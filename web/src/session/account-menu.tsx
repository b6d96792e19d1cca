import { Link, useNavigate } from '@tanstack/react-router';
import { AppWindow, BookOpen, FileQuestion, Keyboard, LogOut, SlidersHorizontal } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { permittedSections } from '../administration/sections.ts';
import { rootPath } from '../app/root-path.ts';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { Menu } from '../components/menu.tsx';
import { shownKeys } from '../keys/shortcuts.ts';
import { runShortcut } from '../keys/use-shortcut.ts';
import { signOut, useMe } from './me.ts';

/** Shows the signed-in user with the account menu, or a button to sign in. */
export function AccountMenu() {
  const { t } = useTranslation();
  const me = useMe();
  const navigate = useNavigate();
  // The menu disappears when its user signs out.
  useFocusOfRest(me && (me.userName === null ? 0 : 1));
  if (!me) return <span className="avatar" aria-hidden="true" />;
  if (me.userName === null) {
    return (
      <Link className="button" to="/sign-in">
        {t('signIn')}
      </Link>
    );
  }
  const name = me.displayName ?? me.userName;
  const trigger = (
    <button type="button" className="avatar">
      <span aria-hidden="true">{initials(name)}</span>
      <span className="visually-hidden">{t('account', { name })}</span>
    </button>
  );
  return (
    <Menu
      trigger={trigger}
      label={t('account', { name })}
      items={[
        {
          icon: AppWindow,
          label: t('sessionsAndTokens'),
          onAction: () => void navigate({ to: '/administration/$section', params: { section: 'sessions' } }),
        },
        ...(permittedSections(me).length > 2
          ? [
              {
                icon: SlidersHorizontal,
                label: t('administration'),
                onAction: () => void navigate({ to: '/administration' }),
              },
            ]
          : []),
        {
          icon: Keyboard,
          label: t('keyboard'),
          keys: shownKeys('sheet'),
          onAction: () => setTimeout(() => runShortcut('sheet')),
        },
        { icon: FileQuestion, label: t('searchHelp'), href: `${rootPath}/SearchHelp_en.html`, target: '_blank' },
        { icon: BookOpen, label: t('documentation'), href: '/swagger-ui/index.html', target: '_blank' },
        { icon: LogOut, label: t('signOut'), end: name, onAction: () => void signOut() },
      ]}
    />
  );
}

export function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '');
  const letters =
    words.length > 1 ? [words[0], words.at(-1)].map((word) => word?.[0] ?? '').join('') : name.slice(0, 2);
  return letters.toUpperCase();
}
