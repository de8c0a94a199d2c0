import { parentPort, workerData } from 'node:worker_threads';
import { GroupCommit } from './group-commit.ts';
import { openWriter, Statements } from './sqlite-file.ts';
import { UnitRunner } from './unit-runner.ts';
import type { Answer, Order, SentError, UnitThreadData } from './unit-thread.ts';

/** Commits what a message brings at once, and answers all of it in one. */
function work(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('This file is the main file of a thread.');
  const database = openWriter(file);
  const runner = new UnitRunner(new Statements(database), new GroupCommit(database));

  async function answer({ id, name, input }: Order): Promise<Answer> {
    try {
      return { id, result: await runner.write(name, input) };
    } catch (error) {
      const { message = 'The write failed.', code, errcode } = error as Partial<SentError>;
      return { id, error: { message, code, errcode } };
    }
  }

  port.on('message', (message: string) => {
    if (message === 'stop') {
      database.close();
      port.close();
      return;
    }
    const orders = JSON.parse(message) as Order[];
    void Promise.all(orders.map(answer)).then((answers) => {
      port.postMessage(JSON.stringify(answers));
    });
  });
}

const { file } = workerData as UnitThreadData;
work(file);
