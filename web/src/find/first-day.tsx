import { Link } from '@tanstack/react-router';
import { BookOpen, Check, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { permittedSections } from '../administration/sections.ts';
import { Icon } from '../components/icon.tsx';
import { Void } from '../components/problem.tsx';
import { shownKeys } from '../keys/shortcuts.ts';
import { useMe } from '../session/me.ts';
import './first-day.css';

/** A logbook without entries: three steps to the first one. */
export function FirstDay() {
  const { t } = useTranslation('find');
  const { t: tCommon } = useTranslation();
  const me = useMe();
  const isSignedIn = typeof me?.userName === 'string';
  const maySetUp = permittedSections(me).some(({ group }) => group === 'logbook');
  return (
    <div className="first-day">
      <Void icon={BookOpen} title={t('firstDay')} text={t('firstDayText')} />
      <ol>
        <Step title={t('firstSteps.signIn')} text={t('firstSteps.signInText')} isDone={isSignedIn}>
          {!isSignedIn && (
            <Link className="button primary" to="/sign-in">
              {tCommon('signIn')}
            </Link>
          )}
        </Step>
        <Step
          title={t('firstSteps.setUp')}
          text={t(maySetUp || !isSignedIn ? 'firstSteps.setUpText' : 'firstSteps.setUpByAdmin')}
        >
          {maySetUp && (
            <Link className="button" to="/administration/$section" params={{ section: 'logbooks' }}>
              {t('firstSteps.toLogbooks')}
            </Link>
          )}
        </Step>
        <Step title={t('firstSteps.write')} text={t('firstSteps.writeText')}>
          <Link className={`button ${isSignedIn ? 'primary' : ''}`} to={'/write' as '/'}>
            <Icon of={Plus} />
            {tCommon('newEntry')}
            <kbd>{shownKeys('write')}</kbd>
          </Link>
        </Step>
      </ol>
    </div>
  );
}

interface StepProps {
  readonly title: string;
  readonly text: string;
  readonly isDone?: boolean;
  /** The button that leads to it. */
  readonly children: ReactNode;
}

function Step({ title, text, isDone = false, children }: StepProps) {
  const { t } = useTranslation('find');
  return (
    <li>
      <h2>
        {title}
        {isDone && <Icon of={Check} label={t('firstSteps.done')} />}
      </h2>
      <p className="muted">{text}</p>
      {children}
    </li>
  );
}
