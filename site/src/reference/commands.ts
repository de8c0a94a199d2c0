import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from '../markdown.ts';
import { root } from '../resolve.ts';

const programs = [
  {
    name: 'financing-companion',
    main: 'packages/server/dist/node/main.js',
    about: 'The command of [the companion](/operate/companion/).',
  },
  {
    name: 'financing-reconcile',
    main: 'packages/reconciliation/dist/cli/main.js',
    about: 'The command of [reconciliation](/finance/reconciliation/).',
  },
  {
    name: 'financing-sandbox',
    main: 'packages/sandbox/dist/main.js',
    about: 'The command of [the sandbox](/contribute/sandbox/).',
  },
];

function commandsIn(help: string): string[] {
  const [, list = ''] = /^Commands:\n((?: {2,}.*\n)+)/m.exec(help) ?? [];
  return Array.from(list.matchAll(/^ {2}([a-z][\w-]*)/gm), ([, name = '']) => name).filter(
    (name) => name !== 'help',
  );
}

async function commandPage({ about, main, name }: (typeof programs)[number]): Promise<Page> {
  const child = spawn(
    process.execPath,
    ['--no-warnings', join(root, 'scripts/run-commands.ts'), join(root, main)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const sections: string[] = [];
  const open: string[][] = [[]];
  for (let words = open.shift(); words !== undefined; words = open.shift()) {
    child.stdin.write(`${JSON.stringify({ words: [...words, '--help'], env: {} })}\n`);
    const { value } = await answers.next();
    const { out } = JSON.parse(String(value)) as { out: string };
    const title = words.length === 0 ? 'Overview' : words.join(' ');
    sections.push(`## ${title}\n\n\`\`\`text\n${out.trimEnd()}\n\`\`\``);
    open.unshift(...commandsIn(out).map((command) => [...words, command]));
  }
  child.stdin.end();
  await once(child, 'exit');
  const intro = `${about} Each text below is what \`--help\` prints.`;
  return {
    id: `reference/${name}`,
    markdown: `# ${name}\n\n${intro}\n\n${sections.join('\n\n')}\n`,
  };
}

/** Returns a page for each program, from its `--help`. */
export function commandPages(): Promise<Page[]> {
  return Promise.all(programs.map(commandPage));
}
