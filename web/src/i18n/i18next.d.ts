import 'i18next';
import type administration from './en/administration.json';
import type annotate from './en/annotate.json';
import type around from './en/around.json';
import type common from './en/common.json';
import type device from './en/device.json';
import type find from './en/find.json';
import type handOver from './en/hand-over.json';
import type inbox from './en/inbox.json';
import type palette from './en/palette.json';
import type plot from './en/plot.json';
import type read from './en/read.json';
import type wall from './en/wall.json';
import type write from './en/write.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      annotate: typeof annotate;
      around: typeof around;
      common: typeof common;
      device: typeof device;
      find: typeof find;
      read: typeof read;
      palette: typeof palette;
      plot: typeof plot;
      administration: typeof administration;
      'hand-over': typeof handOver;
      inbox: typeof inbox;
      wall: typeof wall;
      write: typeof write;
    };
    returnNull: false;
  }
}
