"""Where runs are done: in this process, in processes of this machine, on a cluster."""
