import { receiveResult } from '../../../orders';

export default defineEventHandler((event) => receiveResult(toWebRequest(event)));
