export {
  createReceiver,
  LONGEST_MS,
  type ReceivedFile,
  type Receiver,
  tooLarge,
  type Upload,
} from './receive.ts';
export { RunningImports } from './running.ts';
