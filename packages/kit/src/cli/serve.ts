import { CommandFailure, exitCodes, reasonOf } from './exit.ts';
import { failureCode } from '../outbox/failure-code.ts';
import type { Shell } from './shell.ts';

/** A running server that can be stopped. */
export interface Serving {
  stop: () => Promise<void>;
}

/**
 * Starts a server, and stops it on SIGTERM or SIGINT: requests in flight are completed, then the
 * process exits with 0. A second signal makes it exit with 1 immediately.
 * @param name subject of a sentence: "The companion"
 * @throws {CommandFailure} if it cannot start
 */
export async function serveUntilSignal<Server extends Serving>(
  shell: Shell,
  name: string,
  start: () => Promise<Server>,
  onSignal?: (signal: string) => void,
): Promise<Server> {
  const { exitAfterLogging } = await import('../log/pino-logger.ts');
  let server: Server | undefined;
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) {
      exitAfterLogging(exitCodes.failed);
      return;
    }
    isStopping = true;
    onSignal?.(signal);
    // Still starting. Without this listener, a process that runs as PID 1 in a container would
    // ignore signals.
    if (server === undefined) {
      exitAfterLogging(exitCodes.ok);
      return;
    }
    server.stop().then(
      // An IPC channel to a process manager would keep the process alive.
      () => exitAfterLogging(exitCodes.ok),
      (error: unknown) => {
        shell.say(`${name} could not stop cleanly: ${reasonOf(error)}`);
        exitAfterLogging(exitCodes.failed);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    server = await start();
    return server;
  } catch (error) {
    const advice =
      failureCode(error) === 'EADDRINUSE' ? '. Stop what uses this port, or set another one.' : '';
    throw new CommandFailure(
      `${name} could not start: ${reasonOf(error)}${advice}`,
      exitCodes.unavailable,
    );
  }
}
