// `npm run conformance`: runs the suite against a fresh sandbox and against each mutant of it. A mutant
// violates requirements, and exactly the rules for these requirements must fail.
import { conformanceTable } from '../src/conformance/table.ts';
import { proveConformance } from './proof.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);
say('Mutants, and the rules that detected them:');
const { good, mutants, unjudged, untested } = await proveConformance(
  ({ mutant, red, expected, found }) =>
    say(
      `  ${found ? '✓' : '✗'} ${mutant}: ${red.join(', ') || 'none'}` +
        (found ? '' : `; expected ${expected.join(', ')}`),
    ),
);
say(`\n${conformanceTable(good, process.stdout.isTTY && !process.env.NO_COLOR)}`);
for (const rule of unjudged) say(`${rule} could not be judged on the sandbox.`);
for (const rule of untested) say(`${rule} has no mutant.`);
const failed = good.failed + unjudged.length;
const undetected = mutants.filter(({ found }) => !found).length + untested.length;
say(JSON.stringify({ bench: 'conformance', passed: good.passed, failed, undetected }));
process.exitCode = failed + undetected > 0 ? 1 : 0;
