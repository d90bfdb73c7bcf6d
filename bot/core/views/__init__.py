"""What people see, once for every platform; adapters translate it and decide nothing."""
