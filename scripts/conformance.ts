// `npm run conformance`: runs the suite against a fresh sandbox and against each of its mutants. A mutant
// breaks one rule, and exactly the tests of that rule must fail.
import { compile } from './build.ts';

compile();
// Imported after the build, because a fresh clone has no compiled files.
const { conformanceTable, proveConformance } = await import('../packages/sandbox/dist/index.js');
console.log('Broken mutants, and the rules that found them out:');
const { good, mutants, unjudged, untested } = await proveConformance(
  ({ mutant, red, expected, found }) =>
    console.log(
      `  ${found ? '✓' : '✗'} ${mutant}: ${red.join(', ') || 'nobody'}` +
        (found ? '' : `; expected ${expected.join(', ')}`),
    ),
);
console.log(`\n${conformanceTable(good, process.stdout.isTTY && !process.env.NO_COLOR)}`);
for (const rule of unjudged) console.error(`${rule} could not be judged on the sandbox.`);
for (const rule of untested) console.error(`${rule} has no broken mutant.`);
const failed = good.failed + unjudged.length;
const undetected = mutants.filter(({ found }) => !found).length + untested.length;
console.log(JSON.stringify({ bench: 'conformance', passed: good.passed, failed, undetected }));
process.exitCode = failed + undetected > 0 ? 1 : 0;
