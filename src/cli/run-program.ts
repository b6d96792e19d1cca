import { setFlagsFromString } from 'node:v8';
import { endProcess } from './end-process.js';
import { listenForStopSignals } from './stop-signals.js';

// First, so that a signal during the start closes what is open by then.
const signals = listenForStopSignals();

// A reader such as `head` may end first. The command continues, and its exit code still says what it has found.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Every file that the program creates is for its owner alone.
process.umask(0o077);

// Nearly everything that is allocated while the program loads stays allocated. Without growth of the young generation
// during that time, the process uses about 30 MB less for as long as it lives. `serve` lifts this again. Where its size is
// limited, as in the packages, growth saves a tenth of the processor time of a start and uses no more memory.
if (!process.execArgv.some((option) => option.startsWith('--max-semi-space-size'))) {
  setFlagsFromString('--semi-space-growth-factor=1');
}

// V8 would drop the code of functions that were not called for some time. The first requests after a rest would compile
// it again.
setFlagsFromString('--no-flush-bytecode');

// The heap of each thread may double by default before its garbage is collected. This bounds the memory under load, for
// some 3 % more CPU time per request.
setFlagsFromString('--heap-growing-percent=50');

const { runCommandLine } = await import('./command-line.js');
const { reportFailure } = await import('./report-failure.js');

try {
  await runCommandLine(process.argv.slice(2), signals);
} catch (error) {
  reportFailure('Logbook failed', error);
}
endProcess();
