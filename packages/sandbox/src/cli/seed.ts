import { Option, type Command } from 'commander';
import { join } from 'node:path';
import { environmentNames, type EnvironmentName } from '../environments/environment.ts';
import { mismatchKinds } from '../seed/mismatch.ts';
import { seedHistory } from '../seed/seed.ts';
import { whole } from './options.ts';

interface Options {
  dataDir: string;
  environment: EnvironmentName;
  orders: number;
  seed: number;
  from: string;
  days: number;
  faults: string;
  currencies: string[];
  out?: string;
  replace?: true;
  json?: true;
}

export function addSeed(program: Command): void {
  program
    .command('seed')
    .description(
      'Create a reproducible history in the state of a stopped sandbox: orders, charges, fundings, and files with the ledger of the merchant and the truth.',
    )
    .requiredOption('--orders <n>', 'number of orders', whole)
    .option('--seed <n>', 'the same seed gives the same history', whole, 1)
    .option('--data-dir <dir>', 'folder of the state', '.data/sandbox')
    .addOption(
      new Option('--environment <name>', 'environment of the history')
        .choices(environmentNames)
        .default('sandbox'),
    )
    .option('--from <day>', 'first day', '2026-01-01')
    .option('--days <n>', 'number of days', whole, 90)
    .option(
      '--faults <shares>',
      'default, none, a share of all orders (8%), or by kind (duplicate=0.5%,split=1%)',
      'default',
    )
    .option('--currencies <codes>', 'ISO 4217, separated by commas', codes, ['USD'])
    .option(
      '--out <dir>',
      'output folder of ledger and truth (default: seed/<environment> in --data-dir)',
    )
    .option('--replace', 'first empty the state of all environments')
    .option('--json', 'print the summary as one line of JSON')
    .addHelpText('after', `\nKinds of mismatch: ${mismatchKinds.join(', ')}.`)
    .action((options: Options) => {
      const started = performance.now();
      const out = options.out ?? join(options.dataDir, 'seed', options.environment);
      const summary = seedHistory({
        ...options,
        out,
        onProgress: (orders) => {
          if (orders % 100_000 === 0) process.stderr.write(`${orders} orders …\n`);
        },
      });
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ ...summary, out, seconds })}\n`
          : `${summary.orders} orders, ${summary.transactions} transactions, ${summary.fundings} fundings in ${seconds} s; ` +
              `the clock is at ${summary.asOf}.\nledger, truth, summary: ${out}\n`,
      );
    });
}

function codes(text: string): string[] {
  return text.split(',').map((code) => code.trim().toUpperCase());
}
