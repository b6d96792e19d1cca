import { Link } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { useMe } from '../session/me.ts';
import { useUnread } from './use-unread.ts';
import './inbox-button.css';

const maxShown = 99;

/** The bell in the top bar with the number of unread items; nothing for those who are not signed in. */
export function InboxButton() {
  const { t } = useTranslation();
  const me = useMe();
  const unread = useUnread() ?? 0;
  if (typeof me?.userName !== 'string') return null;
  const label = unread === 0 ? t('inbox') : t('inboxUnread', { count: unread });
  return (
    <Link className="button ghost icon-only inbox-button" to={'/inbox' as '/'} search={{}} aria-label={label}>
      <Icon of={Bell} />
      {unread > 0 && <span aria-hidden="true">{unread > maxShown ? `${maxShown}+` : unread}</span>}
    </Link>
  );
}
