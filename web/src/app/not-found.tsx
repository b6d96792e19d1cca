import { Link, useLocation } from '@tanstack/react-router';
import { BookX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Void } from '../components/problem.tsx';

export function NotFound() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  return (
    <main>
      <Void
        isPage
        icon={BookX}
        title={t('problem.missingTitle')}
        text={t('problem.missingText', { path: pathname })}
        actions={
          <Link className="button" to="/">
            {t('problem.toEntries')}
          </Link>
        }
      />
    </main>
  );
}
