import 'i18next';
import type common from './en/common.json';
import type find from './en/find.json';
import type read from './en/read.json';
import type write from './en/write.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: { common: typeof common; find: typeof find; read: typeof read; write: typeof write };
    returnNull: false;
  }
}
