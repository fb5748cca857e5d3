// usage: node summary.mjs KNOWN RESULTS...
// RESULTS are folders named side,suite,least in which the suite has left its
// results. Prints what each came to, and fails when a scenario did that is not
// known to, or when fewer than least checks succeeded.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [knownFile, ...runs] = process.argv.slice(2);
const known = readFileSync(knownFile, 'utf8').split('\n').filter((l) => l && !l.startsWith('#')).map((l) => {
  const [side, pattern] = l.split(/\s+/);
  return { side, pattern, used: false };
});
const isKnown = (side, scenario) => known.filter((k) => k.side === side &&
  (k.pattern.endsWith('*') ? scenario.startsWith(k.pattern.slice(0, -1)) : scenario === k.pattern));

// scenarios yields the name of each scenario below a folder, and its own folder.
function* scenarios(dir, prefix = '') {
  for (const e of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, e.name);
    if (existsSync(join(path, 'checks.json'))) {
      yield [prefix + e.name.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '').replace(/^server-(?=.)/, ''), path];
    } else if (e.isDirectory()) {
      yield* scenarios(path, `${prefix}${e.name}/`);
    }
  }
}

let wrong = 0;
for (const run of runs) {
  const [side, suite, least] = basename(run).split(',');
  const count = { SUCCESS: 0, FAILURE: 0, WARNING: 0 };
  let passed = 0, expected = 0;
  const bad = [];
  for (const [scenario, path] of scenarios(run)) {
    const checks = JSON.parse(readFileSync(join(path, 'checks.json'), 'utf8'));
    const of = (status) => checks.filter((c) => c.status === status);
    const said = existsSync(join(path, 'stderr.txt')) ? readFileSync(join(path, 'stderr.txt'), 'utf8') : '';
    const failures = [...of('FAILURE'), ...of('WARNING')].map((c) => `${c.id}: ${c.errorMessage ?? c.description}`);
    if (/^client: /m.test(said)) failures.push(said.trim());
    if (!of('SUCCESS').length) failures.push('no check succeeded');
    const excuses = failures.length ? isKnown(side, scenario) : [];
    for (const k of excuses) k.used = true;
    if (excuses.length) {
      expected++;
      continue;
    }
    for (const status in count) count[status] += of(status).length;
    if (failures.length) bad.push(`${scenario}: ${failures.join('; ')}`);
    else passed++;
  }
  if (count.SUCCESS < least) bad.push(`only ${count.SUCCESS} checks succeeded, and ${least} should`);
  console.log(`${side.padEnd(12)} ${suite.padEnd(26)} ${passed} scenarios passed, ${expected} known not to; checks: ${count.SUCCESS} ok, ${count.FAILURE} failed, ${count.WARNING} warnings`);
  for (const b of bad) console.log(`  REGRESSION ${b}`);
  wrong += bad.length;
}
for (const k of known.filter((k) => !k.used)) {
  console.log(`  STALE ${k.side} ${k.pattern}: nothing needs this line any more`);
  wrong++;
}
console.log(wrong ? `conformance: ${wrong} regressions` : 'conformance: passed');
process.exit(wrong ? 1 : 0);
