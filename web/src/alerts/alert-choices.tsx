import { Check } from 'lucide-react';
import { useState } from 'react';
import { Header, MenuItem, MenuSection, Text } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { changeSetting, useSettings } from '../settings/settings.ts';
import { showToast } from '../toasts/toasts.ts';
import { alarm } from './alarm.ts';
import { mayShowNotices, noticeProblem } from './notices.ts';

/** The settings for alerts on new Urgent entries. */
export function AlertChoices() {
  const { t } = useTranslation();
  const { urgentSound, urgentNotice } = useSettings();
  const [problem, setProblem] = useState(noticeProblem);
  const chosen = [...(urgentSound ? ['alert:sound'] : []), ...(urgentNotice && !problem ? ['alert:notice'] : [])];
  const chooseNotice = async () => {
    const isGranted = await mayShowNotices();
    const found = isGranted ? undefined : noticeProblem();
    setProblem(found);
    if (isGranted) changeSetting('urgentNotice', true);
    else if (found) showToast(t(`noNotice.${found}`), { tone: 'problem' });
  };
  const onChange = (keys: ReadonlySet<unknown>) => {
    const isLoud = keys.has('alert:sound');
    if (isLoud !== urgentSound) {
      changeSetting('urgentSound', isLoud);
      // The user hears the chosen sound, and the browser lets the page play it from now on.
      if (isLoud) void alarm();
    }
    if (keys.has('alert:notice') === chosen.includes('alert:notice')) return;
    if (keys.has('alert:notice')) void chooseNotice();
    else changeSetting('urgentNotice', false);
  };
  return (
    <MenuSection
      selectionMode="multiple"
      selectedKeys={chosen}
      onSelectionChange={(keys) => onChange(keys as ReadonlySet<unknown>)}
    >
      <Header className="menu-heading">{t('urgentEntries')}</Header>
      <Item id="alert:sound" text={t('urgentSound')} />
      <Item id="alert:notice" text={t('urgentNotice')} hint={problem && t(`noNotice.${problem}`)} />
    </MenuSection>
  );
}

function Item({ id, text, hint }: { readonly id: string; readonly text: string; readonly hint?: string | undefined }) {
  return (
    <MenuItem id={id} className="menu-item" textValue={text}>
      {({ isSelected }) => (
        <>
          <span>
            <Text slot="label">{text}</Text>
            {hint !== undefined && (
              <Text slot="description" className="menu-hint">
                {hint}
              </Text>
            )}
          </span>
          {isSelected && (
            <span className="end">
              <Icon of={Check} />
            </span>
          )}
        </>
      )}
    </MenuItem>
  );
}
