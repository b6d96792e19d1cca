import { readSettings, watchSettings } from '../settings/settings.ts';

let stop: Promise<() => void> | undefined;

/** Announces new Urgent entries on every page. The code is loaded only if the reader has chosen an alert. */
export function startAlerts(open: (id: number) => void): void {
  const adjust = () => {
    const { urgentSound, urgentNotice } = readSettings();
    const isWanted = urgentSound || urgentNotice;
    if (isWanted && stop === undefined) stop = import('./watch-urgent.ts').then(({ watchUrgent }) => watchUrgent(open));
    else if (!isWanted && stop !== undefined) {
      void stop.then((end) => end());
      stop = undefined;
    }
  };
  watchSettings(adjust);
  adjust();
}
