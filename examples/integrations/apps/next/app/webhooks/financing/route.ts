export { receiveResult as POST } from '../../../orders';
