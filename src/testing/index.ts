export { type FakeClock, fakeClock } from './fake-clock.ts';
export { type OpenContext, storeContract, type StoreContractOptions } from './store-contract.ts';
