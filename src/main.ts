#!/usr/bin/env node
// Any version of Node.js must be able to parse this file. It therefore contains no syntax newer than ES5 except
// import(), and imports nothing before it has checked the version.
(function start() {
  var parts = process.versions.node.split('.');
  var major = Number(parts[0]);
  if (major > 20 || (major === 20 && Number(parts[1]) >= 19)) {
    void import('./cli/run-program.js');
    return;
  }
  var found = ['this is Node.js', process.versions.node].join(' ');
  process.stderr.write(['Logbook needs Node.js 20.19 or later, and ', found, '. Install Node.js 24.\n'].join(''));
  process.exitCode = 78;
})();
