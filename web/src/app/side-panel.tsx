import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { navigationItems } from './navigation-items.ts';

/** The panel on the left: the navigation, and below it what belongs to the page. */
export function SidePanel({ children }: { readonly children?: ReactNode }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  return (
    <nav className="side" aria-label={t('navigation')}>
      <ul>
        {navigationItems.map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to as '/'} aria-current={isHere(pathname, to) ? 'page' : undefined} title={t(label)}>
              <Icon of={icon} />
              <span className="cut">{t(label)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {children}
    </nav>
  );
}

/** Whether the item leads to the current page. An open entry counts as the list. */
function isHere(pathname: string, to: string): boolean {
  return to === '/' ? pathname === '/' || pathname.startsWith('/entries/') : `${pathname}/`.startsWith(`${to}/`);
}
