import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { readSettings, watchSettings } from '../settings/settings.ts';
import common from './en/common.json';
import find from './en/find.json';
import read from './en/read.json';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

/** English texts that the first page needs; all others are loaded by language and feature. */
const bundled = { en: { common, find, read } };

const files = import.meta.glob<{ default: Record<string, unknown> }>('./{en,de}/*.json');

const lazyFiles: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, done) => {
    const load = files[`./${language}/${namespace}.json`];
    if (!load) return done(new Error(`no texts ${language}/${namespace}`), false);
    return void load().then(
      (file) => done(null, file.default),
      (error: unknown) => done(error as Error, false),
    );
  },
};

/** The language to show: that of the settings, else the first of the browser's that there is. */
export function shownLanguage(): Language {
  const { language } = readSettings();
  if (language !== 'system') return language;
  const known = navigator.languages.map((one) => one.slice(0, 2)).find((one) => one in languages);
  return (known ?? 'en') as Language;
}

export async function startI18n(): Promise<void> {
  await i18next
    .use(lazyFiles)
    .use(initReactI18next)
    .init({
      lng: shownLanguage(),
      fallbackLng: 'en',
      ns: Object.keys(bundled.en),
      defaultNS: 'common',
      resources: bundled,
      partialBundledLanguages: true,
      interpolation: { escapeValue: false },
      returnNull: false,
    });
  applyLanguage();
  watchSettings(() => {
    if (i18next.language !== shownLanguage()) void i18next.changeLanguage(shownLanguage()).then(applyLanguage);
  });
}

function applyLanguage(): void {
  document.documentElement.lang = i18next.language;
}

/** The locale of dates and numbers: that of the browser where it has the shown language, for its regional habits. */
export function locale(): string {
  return navigator.languages.find((one) => one.startsWith(i18next.language)) ?? i18next.language;
}
