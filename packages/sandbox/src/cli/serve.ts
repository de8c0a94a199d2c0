import { Option, type Command } from 'commander';
import { createLog } from '../log/log.ts';
import { startSandbox } from '../sandbox.ts';
import { port } from './options.ts';

interface ServeOptions {
  dataDir: string;
  host: string;
  apiPort: number;
  hostedPort: number;
  controlPort: number;
  log: 'text' | 'json';
}

/** `financing-sandbox serve` */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the API, the hosted page, the lenders and the control API until Ctrl-C.')
    .requiredOption('--data-dir <dir>', 'folder of CA, keys and state')
    .option('--host <address>', 'where API and hosted page listen', '127.0.0.1')
    .option('--api-port <port>', 'HTTPS; 0 takes any free one', port, 4443)
    .option('--hosted-port <port>', 'HTTP; 0 takes any free one', port, 4444)
    .option('--control-port <port>', 'HTTP on 127.0.0.1; 0 takes any free one', port, 4445)
    .addOption(
      new Option('--log <format>', 'form of a log line').choices(['text', 'json']).default('text'),
    )
    .action(async (options: ServeOptions) => {
      const log = createLog(options.log, (line) => process.stdout.write(line));
      const sandbox = await startSandbox({ ...options, log });
      const say = (message: string) => log({ level: 'info', part: 'sandbox', message });
      for (const { name, baseUrl } of sandbox.environments) say(`API of ${name}: ${baseUrl}`);
      say(`hosted page: ${sandbox.hostedUrl}/checkout`);
      say(`control API: ${sandbox.controlUrl}`);
      say(`trust this CA: ${sandbox.caFile}`);
      say('ready');
      let stopping = false;
      const stop = () => {
        // A second Ctrl-C does not wait.
        if (stopping) process.exit(1);
        stopping = true;
        void sandbox.stop().then(() => process.exit(0));
      };
      process.on('SIGINT', stop);
      process.on('SIGTERM', stop);
    });
}
