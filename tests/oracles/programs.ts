import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';
import { root } from '../../scripts/paths.ts';

/** Programs of plain-text accounting that read journals, with the commands of each. */
export const programs = {
  beancount: ['bean-check', 'bean-query'],
  hledger: ['hledger'],
  ledger: ['ledger'],
} as const;
export type Program = keyof typeof programs;

const readBack = (await import(
  join(root, 'packages/reconciliation/src/journals/formats/read-back.fixture.ts')
)) as { units: (text: string, currency: string) => number };

function missing(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isMissing = (name: string) => !folders.some((folder) => existsSync(join(folder, name)));
  return Object.values(programs).flat().filter(isMissing);
}

/**
 * Installs Debian's beancount, hledger and ledger, unless the programs are there.
 * @throws {Error} with the commands to run, when they cannot be installed
 */
export function findPrograms(): void {
  if (missing().length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`${missing().join(', ')} missing: trying to install them with apt …`);
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', ...Object.keys(programs)],
    ]) {
      spawnSync('apt-get', args, {
        stdio: 'ignore',
        timeout: 300_000,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    }
    if (missing().length === 0) return;
  }
  throw new Error(
    `These tests need ${missing().join(', ')}. Install them (Debian, Ubuntu: sudo apt-get install ` +
      'beancount hledger ledger; macOS: brew install beancount hledger ledger).',
  );
}

/**
 * Returns the balances that a program reads in a file, in minor units, by account and currency:
 * `Assets:Bank USD`, without those that are zero.
 * @throws {Error} the program refuses the file
 */
export function balancesOf(program: Program, file: string): Map<string, number> {
  const balances = new Map<string, number>();
  for (const [account, currency, amount] of balanceRows(program, file)) {
    const value = readBack.units(amount, currency);
    if (value !== 0) balances.set(`${account} ${currency}`, value);
  }
  return new Map([...balances].toSorted());
}

type BalanceRow = [account: string, currency: string, amount: string];

function balanceRows(program: Program, file: string): BalanceRow[] {
  switch (program) {
    case 'beancount': {
      run('bean-check', [file]);
      // bean-query rounds numbers to decimals that all currencies share; `str()` keeps them exact.
      const query = 'select account, currency, str(sum(number)) group by account, currency';
      const lines = run('bean-query', ['-q', '-f', 'csv', file, query]).split('\n').slice(1);
      return lines.filter(Boolean).map((line) => {
        const [account = '', currency = '', sum = ''] = line.split(',');
        const [, amount = ''] = /^Decimal\('(.*)'\)/.exec(sum) ?? [];
        return [account.trim(), currency.trim(), amount];
      });
    }
    case 'hledger': {
      run('hledger', ['-f', file, 'check', '--strict']);
      const options = ['balance', '--flat', '--no-total', '--layout=bare', '-O', 'csv'];
      const lines = run('hledger', ['-f', file, ...options])
        .split('\n')
        .slice(1);
      return lines.filter(Boolean).map((line) => {
        const [, account = '', currency = '', amount = ''] =
          /^"(.*)","(.*)","(.*)"$/.exec(line) ?? [];
        return [account.replaceAll('""', '"'), currency, amount];
      });
    }
    case 'ledger': {
      const format = '%(account)\\t%(scrub(display_total))\\n';
      const options = ['--pedantic', '--flat', '--no-total', '--format', format, 'balance'];
      const lines = run('ledger', ['-f', file, ...options]).split('\n');
      let account = '';
      return lines.filter(Boolean).map((line): BalanceRow => {
        // The second and the next currencies of an account are in lines of their own.
        const parts = line.split('\t');
        if (parts.length > 1) account = parts[0] ?? '';
        const [amount = '', currency = ''] = (parts.at(-1) ?? '').trim().split(' ');
        return [account, currency, amount];
      });
    }
  }
}

/** @throws {Error} with the output of the program, when it ends with another code than 0 */
function run(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    throw new Error(`${command}: ${stderr}${stdout}`.trim(), { cause: error });
  }
}
