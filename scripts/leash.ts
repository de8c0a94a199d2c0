// Preloaded into a program that must not outlive its parent. When the parent is killed, the pipe between
// them closes, and the program ends as with Ctrl-C.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  // A program that has finished does not wait for the pipe.
  if ('unref' in process.stdin) process.stdin.unref();
}
