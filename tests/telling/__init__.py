"""Whether gold items can be told from other work by anything but what is to be judged."""
