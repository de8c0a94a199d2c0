import { Option, type Command } from 'commander';
import type { SentAnswer } from '../api/tap.ts';
import { environmentNames, type EnvironmentName } from '../environments/environment.ts';
import { readAuthorization } from '../notifications/destination.ts';
import { createLog } from '../platform/log.ts';
import { ArgumentError } from '../platform/problem.ts';
import { appendToFile } from '../platform/write-file.ts';
import { checkAnswer, findOperation } from '../published/index.ts';
import { port } from './options.ts';

interface ServeOptions {
  dataDir: string;
  host: string;
  hostName?: string;
  apiPort: number;
  hostedPort: number;
  controlPort: number;
  log: 'text' | 'json';
  notifyUrl?: string;
  notifyAuthorizationFile?: string;
  notifyEnvironment: EnvironmentName;
  checkAnswers?: string;
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the API, the hosted page, the lenders and the control API until Ctrl-C.')
    .requiredOption('--data-dir <dir>', 'folder of CA, keys and state')
    .option('--host <address>', 'address of the API and the hosted page', '127.0.0.1')
    .option('--host-name <name>', 'further name that the certificate of the API is valid for')
    .option('--api-port <port>', 'HTTPS; 0 takes any free port', port, 4443)
    .option('--hosted-port <port>', 'HTTP; 0 takes any free port', port, 4444)
    .option('--control-port <port>', 'HTTP on 127.0.0.1; 0 takes any free port', port, 4445)
    .option('--notify-url <url>', 'merchant address for notifications, in this run')
    .option('--notify-authorization-file <file>', 'file with the value of its Authorization header')
    .addOption(
      new Option('--notify-environment <name>', 'environment of the notifications')
        .choices(environmentNames)
        .default('sandbox'),
    )
    .addOption(
      new Option('--log <format>', 'format of the log').choices(['text', 'json']).default('text'),
    )
    // Hidden: only for tests, which use it to check the responses of the sandbox.
    .addOption(new Option('--check-answers <file>', 'one JSON line for each answer').hideHelp())
    .action(async ({ checkAnswers, ...options }: ServeOptions) => {
      const log = createLog(options.log, (line) => process.stdout.write(line));
      const { startSandbox } = await import('../sandbox.ts');
      const sandbox = await startSandbox({
        ...options,
        notify: notifyOf(options),
        log,
        onAnswer: checkAnswers === undefined ? undefined : writeCheck(checkAnswers),
      });
      const say = (message: string) => log({ level: 'info', part: 'sandbox', message });
      for (const { name, baseUrl } of sandbox.environments) say(`API of ${name}: ${baseUrl}`);
      say(`hosted page: ${sandbox.hostedUrl}/checkout`);
      say(`control API: ${sandbox.controlUrl}`);
      say(`trust this CA: ${sandbox.caFile}`);
      let stopping = false;
      const stop = () => {
        // A second Ctrl-C exits without waiting.
        if (stopping) process.exit(1);
        stopping = true;
        void sandbox.stop().then(() => process.exit(0));
      };
      process.on('SIGINT', stop);
      process.on('SIGTERM', stop);
      say('ready');
    });
}

function notifyOf({ notifyUrl: url, notifyAuthorizationFile: file, ...options }: ServeOptions) {
  if (url === undefined) {
    if (file === undefined) return undefined;
    throw new ArgumentError('--notify-authorization-file needs --notify-url.');
  }
  const authorization = file === undefined ? undefined : readAuthorization(file);
  return { environment: options.notifyEnvironment, url, authorization };
}

/**
 * Returns a tap that checks each response against the published contract and appends the result to
 * a file. It omits the body, which may contain personal data. It writes synchronously, so that the
 * file is complete when the process exits.
 */
function writeCheck(file: string): (answer: SentAnswer) => void {
  return (answer) => {
    const { method, path, status, fault } = answer;
    const operation = findOperation(method, path)?.name ?? null;
    const problems = checkAnswer(answer);
    const line = { operation, method, path, status, fault, problems };
    appendToFile(file, `${JSON.stringify(line)}\n`);
  };
}
