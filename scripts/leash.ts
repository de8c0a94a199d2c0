// Preloaded into a program that has no business without the one that started it: when that is killed,
// and could end nothing any more, the pipe between them closes, and this ends as with Ctrl-C.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  // A program that is through with its work does not wait for it.
  if ('unref' in process.stdin) process.stdin.unref();
}
