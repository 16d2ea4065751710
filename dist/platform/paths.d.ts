import { type Environment } from './environment.ts';
/** Where everything lives: one folder, so that a person can look at it, back it up and delete it. */
export type Home = {
    folder: string;
    config: string;
    database: string;
    spool: string;
    run: string;
    logs: string;
    /** Weights of models that were fetched. */
    models: string;
    /** The worker's Unix socket. */
    socket: string;
    /** pid, port and version of the running worker. */
    workerFile: string;
    /** The bearer token: may do everything. */
    token: string;
    /** The hook token: may report events and receive context, nothing else. It stands in a settings file, so it is worth less. */
    hookToken: string;
    /** Held by the running worker; the kernel lets go of it when the worker dies. */
    lock: string;
    /** Which settings files `init` has written to. */
    installs: string;
    /** What the person wants hidden, as the last worker knew it. */
    privacyRules: string;
    /** Left by a worker that met damage in the database: the next one sets it aside. */
    damage: string;
};
export declare function homePaths(environment?: Environment): Home;
