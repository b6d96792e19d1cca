import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { readSettings, watchSettings } from '../settings/settings.ts';
import common from './en/common.json';
import find from './en/find.json';
import read from './en/read.json';

/** English texts that the first page needs; all others are loaded by language and feature. */
const bundled = { en: { common, find, read } };

const files = import.meta.glob<{ default: Record<string, unknown> }>('./*/*.json');

/** The languages that have a folder here, each under its own name: `[['de', 'Deutsch'], …]`. */
export const languages: readonly (readonly [code: string, name: string])[] = [
  ...new Set(Object.keys(files).map((path) => path.split('/')[1] ?? '')),
].map((code) => [code, nameOf(code)]);

const lazyFiles: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, done) => {
    const load = files[`./${language}/${namespace}.json`];
    if (!load) return done(new Error(`there are no texts ${language}/${namespace}`), false);
    return void load().then(
      (file) => done(null, file.default),
      (error: unknown) => done(error as Error, false),
    );
  },
};

/** The name of a language in that language, with a capital. */
function nameOf(code: string): string {
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
  return `${name.charAt(0).toLocaleUpperCase(code)}${name.slice(1)}`;
}

/** Returns the language of the settings, or else the first language of the browser that is available. */
function shownLanguage(): string {
  const wanted = [readSettings().language, ...navigator.languages.map((one) => one.split('-')[0])];
  return wanted.find((one) => languages.some(([code]) => code === one)) ?? 'en';
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
  // English has no such file: the server's own messages are English. The first page does not wait for the files of
  // other languages.
  void i18next.loadNamespaces('faults');
  watchSettings(() => {
    if (i18next.language !== shownLanguage()) void i18next.changeLanguage(shownLanguage()).then(applyLanguage);
  });
}

function applyLanguage(): void {
  document.documentElement.lang = i18next.language;
}

/**
 * Returns the locale of dates and numbers: the one of the browser if it has the shown language, for its regional
 * habits.
 */
export function locale(): string {
  return navigator.languages.find((one) => one.startsWith(i18next.language)) ?? i18next.language;
}
