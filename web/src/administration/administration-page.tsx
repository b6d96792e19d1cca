import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Keyboard, Lock } from 'lucide-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { NotFound } from '../app/not-found.tsx';
import { useViewport } from '../app/viewport.ts';
import { Icon } from '../components/icon.tsx';
import { Void } from '../components/problem.tsx';
import { runShortcut } from '../keys/use-shortcut.ts';
import { useUserOfPage } from '../session/me.ts';
import { AccessSection } from './access-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { LevelsSection } from './levels-section.tsx';
import { LogbooksSection } from './logbooks-section.tsx';
import { PropertiesSection } from './properties-section.tsx';
import { permittedSections, type SectionName, sections } from './sections.ts';
import { SessionsSection } from './sessions-section.tsx';
import { TagsSection } from './tags-section.tsx';
import { TemplatesSection } from './templates-section.tsx';
import { TokensSection } from './tokens-section.tsx';
import './administration.css';

const pages: Readonly<Record<SectionName, ComponentType>> = {
  logbooks: LogbooksSection,
  tags: TagsSection,
  levels: LevelsSection,
  properties: PropertiesSection,
  templates: TemplatesSection,
  access: AccessSection,
  audit: AuditSection,
  sessions: SessionsSection,
  tokens: TokensSection,
};

/** Administration of the catalogue, access and the audit log, and of the user's own sessions and tokens. */
export function AdministrationPage() {
  const { section } = useParams({ strict: false });
  const me = useUserOfPage();
  if (!me) return <main />;
  if (me.userName === null) return <SignInFirst />;
  const permitted = permittedSections(me);
  const current = sections.find(({ name }) => name === (section ?? permitted[0]?.name));
  if (!current) return <NotFound />;
  const Page = pages[current.name];
  return (
    <div className="administration">
      <SectionNav current={current.name} />
      {permitted.includes(current) ? <Page key={current.name} /> : <NotPermitted name={current.name} />}
    </div>
  );
}

function SectionNav({ current }: { readonly current: SectionName }) {
  const { t } = useTranslation('administration');
  const { t: tCommon } = useTranslation();
  const permitted = permittedSections(useUserOfPage());
  const viewport = useViewport();
  const group = (name: 'logbook' | 'me') => permitted.filter((one) => one.group === name);
  if (viewport === 'phone' || viewport === 'tablet') return <SectionMenu current={current} />;
  return (
    <nav className="side" aria-label={tCommon('administration')}>
      {(['logbook', 'me'] as const).map(
        (name) =>
          group(name).length > 0 && (
            <section key={name}>
              <h2>{t(`groups.${name}`)}</h2>
              <ul>
                {group(name).map(({ name: section, icon }) => (
                  <li key={section}>
                    <Link
                      to="/administration/$section"
                      params={{ section }}
                      aria-current={section === current ? 'page' : undefined}
                    >
                      <Icon of={icon} />
                      {t(`sections.${section}`)}
                    </Link>
                  </li>
                ))}
                {name === 'me' && (
                  <li>
                    <button type="button" onClick={() => runShortcut('sheet')}>
                      <Icon of={Keyboard} />
                      {tCommon('keyboard')}
                    </button>
                  </li>
                )}
              </ul>
            </section>
          ),
      )}
    </nav>
  );
}

/** Native menu of the sections, for narrow screens. */
function SectionMenu({ current }: { readonly current: SectionName }) {
  const { t } = useTranslation('administration');
  const navigate = useNavigate();
  return (
    <nav className="section-menu" aria-label={t('section')}>
      <select
        className="input"
        aria-label={t('section')}
        value={current}
        onChange={({ target }) => void navigate({ to: '/administration/$section', params: { section: target.value } })}
      >
        {permittedSections(useUserOfPage()).map(({ name }) => (
          <option key={name} value={name}>
            {t(`sections.${name}`)}
          </option>
        ))}
      </select>
    </nav>
  );
}

function NotPermitted({ name }: { readonly name: SectionName }) {
  const { t } = useTranslation('administration');
  const me = useUserOfPage();
  return (
    <main className="section">
      <Void
        isPage
        icon={Lock}
        title={t('notPermittedTitle', { section: t(`sections.${name}`) })}
        text={t('notPermittedText', { name: me?.displayName ?? me?.userName })}
      />
    </main>
  );
}

function SignInFirst() {
  const { t } = useTranslation('administration');
  const { t: tCommon } = useTranslation();
  return (
    <main>
      <Void
        isPage
        icon={Lock}
        title={t('signInFirst')}
        actions={
          <Link className="button primary" to="/sign-in" search={{ returnTo: location.pathname }}>
            {tCommon('signIn')}
          </Link>
        }
      />
    </main>
  );
}
